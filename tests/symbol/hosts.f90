! SPDX-License-Identifier: GPL-3.0-or-later
! What Fortran says about its own values, and procedures inside others; see test-values.py for `!?`.
module boxes
  implicit none
  integer, parameter :: wp = kind (1.0d0)
  type cell
    real(wp) :: t = 1.0_wp
    integer :: n = 2
    character(len=4) :: tag = 'abc'
  end type cell
  type(cell) :: cells(4), mesh(2,3)
contains
  subroutine work (x, words)
    real(wp), intent(inout) :: x(:,:)
    character(len=*), intent(in) :: words
    integer :: k
    k = size (x, 1)
    x(1,1) = k
    print *, words !@ work
  end subroutine work
end module boxes

subroutine host (start, sums)
  use boxes
  implicit none
  integer, intent(in) :: start
  real(wp), intent(inout) :: sums(3)
  integer :: total, table(2,2)
  integer, allocatable :: heap(:)
  character(len=6) :: name
  total = start
  name = 'hosted'
  table = reshape ([1, 2, 3, 4], [2, 2])
  allocate (heap(3))
  heap = [7, 8, 9]
  call inner (5)
  sums(1) = total
contains
  subroutine inner (by)
    integer, intent(in) :: by
    integer :: own
    own = by * 2
    total = total + own
    call innermost ()
    sums(2) = table(1,2) + heap(1)
    print *, total, name, start, own !@ inner
  end subroutine inner
  subroutine innermost
    heap(2) = heap(2) + 1
    table(2,2) = total
    name(1:1) = 'H'
    sums(3) = start !@ innermost
  end subroutine innermost
end subroutine host

! What is used of the host is one variable, or none: then there is no link to its frame.
subroutine lone (answer)
  implicit none
  integer, intent(out) :: answer
  integer :: only
  only = 40
  answer = add () + more ()
  answer = answer - only
contains
  integer function add ()
    add = only + 2 !@ lone
  end function add
  integer function more ()
    more = 40 !@ linkless
  end function more
end subroutine lone

program main
  use boxes
  implicit none
  integer :: i = 7, j = -3, n
  integer(kind=8) :: big = 9000000000_8
  integer(kind=2) :: small = 3
  real :: r = -2.5
  real(wp) :: d = 2.75_wp
  complex :: z = (1.5, -2.5)
  complex(wp) :: zz = (3.0_wp, 4.0_wp)
  character(len=6) :: s = 'abc'
  character(len=3) :: t = 'abc'
  character(len=:), allocatable :: deferred
  logical :: yes = .true., no = .false.
  integer :: fixed(3) = [1, 2, 3], grid(2,3) = reshape ([1,2,3,4,5,6], [2,3]), shifted(-2:2) = [1,2,3,4,5]
  real(wp), allocatable :: field(:,:), never(:)
  integer, pointer :: alias(:), nowhere(:)
  integer, target :: base(6) = [1, 2, 3, 4, 5, 6]
  real(wp) :: sums(3)
  type(cell), allocatable :: dyn(:)
  interface
    subroutine host (start, sums)
      use boxes
      integer, intent(in) :: start
      real(wp), intent(inout) :: sums(3)
    end subroutine host
  end interface
  allocate (field(2,0:3), dyn(3))
  nullify (nowhere)
  alias => base(1:6:2)
  field = 1.5_wp
  deferred = 'some'
  n = 2
  do i = 1, 4
    cells(i)%t = i * 1.5
    cells(i)%n = i
  end do
  i = 7
  call work (field, 'hello')
  sums = 0
  call host (11, sums)
  call lone (n)
  print *, i, j, big, small, r, d, z, zz, s, t, deferred, yes, no, fixed, grid, shifted, alias, sums, dyn%n !@ main
end program main
!? work: k
!? work: x
!? work: words
!? work: cells
!? work: boxes::cells
!? work: size(x)
!? work: size(x, 2)
!? work: ubound(x)
!? inner: total
!? inner: start
!? inner: name
!? inner: table
!? inner: heap
!? inner: own
!? inner: sums
!? inner: table(1,2) + total
!? innermost: total
!? innermost: start
!? innermost: heap(2)
!? innermost: name
!? innermost: sums
!? lone: only
!? linkless: only
!? main: size(fixed)
!? main: size(grid)
!? main: size(grid, 2)
!? main: shape(grid)
!? main: shape(field)
!? main: lbound(field)
!? main: ubound(field)
!? main: lbound(field, 2)
!? main: ubound(field, 2)
!? main: lbound(shifted)
!? main: ubound(shifted, 1)
!? main: rank(grid)
!? main: rank(i)
!? main: kind(i)
!? main: kind(big)
!? main: kind(d)
!? main: kind(z)
!? main: kind(yes)
!? main: mod(i, 4)
!? main: mod(j, 2)
!? main: modulo(j, 2)
!? main: mod(-8, 5)
!? main: modulo(-8, 5)
!? main: mod(8.5, 2.0)
!? main: modulo(-8.5, 2.0)
!? main: abs(j)
!? main: abs(r)
!? main: abs(-9)
!? main: ceiling(r)
!? main: ceiling(d)
!? main: floor(r)
!? main: floor(d)
!? main: floor(3.7, 8)
!? main: allocated(field)
!? main: associated(alias)
!? main: associated(nowhere)
!? main: cmplx(1.5, 2)
!? main: cmplx(3)
!? main: loc(i)
!? main: sizeof(i)
!? main: s
!? main: s == 'abc' => .true.
!? main: s == 'abd'
!? main: s /= 'abc' => .false.
!? main: s < 'abd'
!? main: s > 'abb'
!? main: t == s => .true.
!? main: t == 'abc   ' => .true.
!? main: deferred == 'some' => .true.
!? main: s // t => 'abc   abc'
!? main: 'ab' // 'cd' => 'abcd'
!? main: t(1:2)
!? main: s(2:3) == 'bc' => .true.
!? main: cells%t => (1.5, 3, 4.5, 6)
!? main: cells%n => (1, 2, 3, 4)
!? main: cells(2)%t
!? main: cells(2:3)%n => (2, 3)
!? main: mesh%n => ((2, 2) (2, 2) (2, 2))
!? main: cells(1)%tag
!? main: cells(1)%tag == 'abc' => .true.
!? main: dyn%n => (2, 2, 2)
!? main: dyn(2)%n
!? main: yes .and. no
!? main: yes .and. .not. no
!? main: yes .or. no
!? main: yes .eqv. no
!? main: yes .neqv. no
!? main: yes .xor. no
!? main: i .eq. 7
!? main: i .ne. 7
!? main: i .lt. 8 .and. j .ge. -3
!? main: 2**10
!? main: i**2
!? main: d**2
!? main: 2.0**0.5
!? main: -2**2 => -4
!? main: 2**3**2
!? main: i / 2
!? main: 7.0 / 2
!? main: .true.
!? main: .false. .or. .true.
!? main: 1.5d0
!? main: 1_8 => 1
!? main: 1.5_8 => 1.5
!? main: (1.5, 2.5)
!? main: z
!? main: z + zz
!? main: z * 2
!? main: z == z
!? main: field(2,1)
!? main: field(:,1)
!? main: field(1,0:2)
!? main: field(1,3:0:-1)
!? main: fixed(3:1:-1)
!? main: fixed(1:3:2)
!? main: alias
!? main: alias(2)
!? main: nowhere
!? main: grid(2,:)
!? main: sums
!? main: real(zz) => 3
!? main: abs(zz) => 5
!? main: aimag(zz) => 4
!? main: conjg(z) => (1.5,2.5)
!? main: zz / z => (-0.6470588235294118,1.588235294117647)
!? main: int(2.7) => 2
!? main: len(s) => 6
!? main: len(deferred) => 4
!? main: cells(1)%tag(1:2) => 'ab'
!? main: t(1:3:2) => 'ac'
!? main: .not. i == 3 => .true.
!? main: yes .eqv. no .or. yes => .true.
!? main: 1.eq.1 => .true.
!? main: fixed == 2 => cannot compute with values of types integer(kind=4) (3) and int
!? main: 'it''s' => 'it''s'
!? main: size(i) => cannot take size: the argument is not an array
!? main: ubound(grid, 3) => cannot take ubound: the array has 2 dimensions
!? main: boxes::work => {void (real(kind=8) (:,:), character (len=*), const integer(kind=8))} 0x# <boxes::work>
