! SPDX-License-Identifier: GPL-3.0-or-later
! What gfortran describes in ways of its own: components of deferred length, what stands in a namelist, submodules and
! variables of class (T).
module texts
  implicit none
  type labelled
    integer :: id
    character(len=:), allocatable :: label
  end type
contains
  function four (i) result (r)
    integer, intent(in) :: i
    character(len=4) :: r
    write (r, '(i4)') i
  end function
  function many (n) result (r)
    integer, intent(in) :: n
    real(8) :: r(n)
    r = n
  end function
end module

module figures
  implicit none
  integer :: counts(5) = [1, 2, 3, 4, 5]
  integer :: all = 8
  namelist /of_module/ counts, all
  type figure
    integer :: id = 7
    real :: x = 2.5
  end type
  type, extends(figure) :: circle
    real :: radius = 1.5
  end type
  type holder
    class(figure), pointer :: one
    class(figure), allocatable :: list(:)
  end type
  interface
    module subroutine see (self, all)
      class(figure), intent(in) :: self
      class(figure), intent(in) :: all(:)
    end subroutine
  end interface
end module

submodule (figures) middle
  implicit none
  integer :: between = 6
end submodule

submodule (figures:middle) inner
contains
  module procedure see
    print *, counts(2), between, self%id, all(2)%x !@ see
  end procedure
end submodule
!? see: counts
!? see: between
!? see: counts(2) + between
!? see: self%id => 7
!? see: of_module => ( counts = (1, 2, 3, 4, 5), all = <hidden by another variable of that name> )
!? see: SELF%X => 2.5
!? see: self%radius => 1.5
!? see: all(2)%x => 4.5
!? see: all(2:3)%x => (4.5, 2.5)
!? see: all(4) => <outside the array's bounds>

program units
  use texts
  use figures
  implicit none
  type(circle), target :: round
  type(holder) :: h
  class(*), allocatable :: anything
  type(labelled), pointer :: p
  type(labelled) :: a, list(2)
  real(8) :: listed(3) = [7d0, 8d0, 9d0]
  real(8), save :: kept(2) = 5
  integer :: scalar
  namelist /all_of_them/ scalar, listed, kept
  scalar = 3
  a%label = 'first'; a%id = 1
  allocate (p); p%label = 'pointed'; p%id = 2
  list(2)%label = 'element'; list(2)%id = 3
  h%one => round
  allocate (circle :: h%list(3))
  h%list(2)%x = 4.5
  allocate (anything, source = 5)
  call see (round, h%list)
  print *, a%label, p%label, list(2)%label, four (12), many (2), listed, kept, scalar !@ main
end program
!? main: all_of_them
!? main: a%label => 'first'
!? main: p%label => 'pointed'
!? main: list(2)%label => 'element'
!? main: list(1)%label => <not allocated>
!? main: a%label(2:3) => 'ir'
!? main: len(p%label) => 7
!? main: list(2)%id => 3
!? main: listed
!? main: kept
!? main: scalar
!? main: listed(2) + scalar
!? main: four (12) => cannot call "four": it writes its result, a text or an array, to memory that the caller has to provide
!? main: many (2) => cannot call "many": it writes its result, a text or an array, to memory that the caller has to provide
!? main: h%one%id => 7
!? main: h%list(2)%x => 4.5
!? main: h%list%x => (2.5, 4.5, 2.5)
!? main: anything%x => cannot dereference a pointer to void
!? main: round%id => 7
