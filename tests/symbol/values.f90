! SPDX-License-Identifier: GPL-3.0-or-later
! Fortran values to look at; see test-values.py for `!?`.
module shapes
  implicit none
  integer, parameter :: wp = kind (1.0d0)
  integer :: counter = 5
  real(wp), allocatable :: field(:,:)
  character(len=8) :: label = 'module'
  type point
    real :: x = 1.5, y = 2.5
    integer :: tag(3) = [7, 8, 9]
  end type point
  type, extends(point) :: named
    character(len=5) :: name = 'named'
    logical :: used = .true.
  end type named
end module shapes

module other
  implicit none
  integer :: counter = 17
end module other

subroutine assumed (a, n, b, text, m, maybe, pointed)
  use shapes, only: wp, point
  implicit none
  integer, intent(in) :: n
  real(wp), intent(inout) :: a(:,:)
  integer, intent(inout) :: b(0:n)
  character(len=*), intent(in) :: text
  integer, intent(in) :: m(-1:1, 2)
  integer, optional, intent(in) :: maybe
  type(point), pointer, intent(in) :: pointed
  integer :: auto(n)
  integer :: i
  do i = 1, n
    auto(i) = i * 10
  end do
  b(0) = auto(n)
  print *, a(1,1), b(0), text, m(0,1), pointed%x !@ assumed
end subroutine assumed
!? assumed: a
!? assumed: a(2,1)
!? assumed: a(1,2)
!? assumed: n
!? assumed: b
!? assumed: b(0)
!? assumed: b(n)
!? assumed: text
!? assumed: m
!? assumed: m(-1,2)
!? assumed: auto
!? assumed: auto(2)
!? assumed: auto(2:3)
!? assumed: pointed%y
!? assumed: N + 1
!? assumed: a(:,1)
!? assumed: a(1,:)
!? assumed: a(1:2,2)

program main
  use shapes
  implicit none
  interface
    subroutine assumed (a, n, b, text, m, maybe, pointed)
      import wp, point
      integer, intent(in) :: n
      real(wp), intent(inout) :: a(:,:)
      integer, intent(inout) :: b(0:n)
      character(len=*), intent(in) :: text
      integer, intent(in) :: m(-1:1, 2)
      integer, optional, intent(in) :: maybe
      type(point), pointer, intent(in) :: pointed
    end subroutine assumed
  end interface
  integer :: i, j
  integer(kind=8) :: big = 1234567890123_8
  integer(kind=1) :: small = -3
  real :: single = 1.5
  real(wp) :: twice = 2.25_wp
  complex :: z = (1.5, -2.5)
  complex(wp) :: zz = (0.5_wp, 3.0_wp)
  logical :: yes = .true., no = .false.
  logical(kind=1) :: short = .true.
  character(len=10) :: words = 'ten chars'
  character(len=:), allocatable :: deferred
  character(len=3) :: many(2) = ['abc', 'def']
  integer :: fixed(3) = [1, 2, 3]
  integer :: grid(2,3) = reshape ([1, 2, 3, 4, 5, 6], [2, 3])
  integer :: shifted(-2:2) = [10, 11, 12, 13, 14]
  integer, allocatable :: heap(:), never(:)
  integer, pointer :: alias(:), strided(:)
  integer, target :: base(6) = [1, 2, 3, 4, 5, 6]
  type(point), target :: p
  type(named) :: n
  type(point) :: list(2)
  type(point), pointer :: q
  integer :: common_a, common_b(2)
  common /block/ common_a, common_b
  allocate (heap(4), field(2,3))
  heap = [(i * i, i = 1, 4)]
  field = reshape ([1.0_wp, 2.0_wp, 3.0_wp, 4.0_wp, 5.0_wp, 6.0_wp], [2, 3])
  deferred = 'deferred text'
  alias => base(2:4)
  strided => base(1:6:2)
  q => p
  common_a = 41
  common_b = [42, 43]
  j = 3
  call assumed (field, 3, shifted(-2:1), 'passed', reshape ([1, 2, 3, 4, 5, 6], [3, 2]), pointed=q)
  print *, i, j, big, small, single, twice, z, zz, yes, no, short, words, deferred, many !@ main
  print *, fixed, grid, shifted, heap, alias, strided, p%x, n%name, list(1)%x, q%y, common_a, common_b
  if (allocated (never)) print *, never
end program main
!? main: j
!? main: J
!? main: big
!? main: small
!? main: single => 1.5
!? main: twice
!? main: z
!? main: zz
!? main: yes
!? main: no
!? main: short
!? main: words
!? main: deferred => 'deferred text'
!? main: many
!? main: many(2)
!? main: fixed
!? main: fixed(2)
!? main: FIXED(3)
!? main: grid
!? main: grid(2,3)
!? main: grid(:,2)
!? main: grid(1,:)
!? main: shifted
!? main: shifted(-2)
!? main: shifted(-1:1)
!? main: heap
!? main: heap(3)
!? main: heap(2:3)
!? main: never
!? main: alias
!? main: alias(1)
!? main: strided
!? main: strided(2)
!? main: p
!? main: p%x
!? main: P%TAG(2)
!? main: n
!? main: n%name
!? main: n%x => 1.5
!? main: list => (( x = 1.5, y = 2.5, tag = (7, 8, 9) ), ( x = 1.5, y = 2.5, tag = (7, 8, 9) ))
!? main: list(2)%tag => (7, 8, 9)
!? main: q%y
!? main: *q
!? main: common_a
!? main: common_b(2)
!? main: counter
!? main: shapes::counter
!? main: other::counter
!? main: label
!? main: field
!? main: field(2,2)
!? main: field(1,1) + 1
!? main: yes .and. no
!? main: yes .or. no
!? main: .not. yes
!? main: j == 3
!? main: j /= 3
!? main: j .gt. 2
!? main: 2**3
!? main: j * 2 + 1
!? main: nosuch => no symbol "nosuch" in frame MAIN__
