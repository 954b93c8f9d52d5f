! SPDX-License-Identifier: GPL-3.0-or-later
! What gfortran describes in ways of its own: components of deferred length, what stands in a namelist.
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

program units
  use texts
  implicit none
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
  print *, a%label, p%label, list(2)%label, four (12), many (2), listed, kept, scalar !@ main
end program
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
