! SPDX-License-Identifier: GPL-3.0-or-later
! Dummy arguments that are not present, and descriptors of which the optimiser has left out what nothing uses.
module shapes
  implicit none
  type :: point
    real(8) :: x = 1, y = 2, z = 3
  end type
  integer, volatile :: seen
contains
  subroutine maybe (n, i, r, text, list, whole, p, q, held, linked)
    integer, intent(in) :: n
    integer, optional :: i
    real(8), optional :: r
    character(len=*), optional :: text
    integer, optional :: list(:), whole(n)
    type(point), optional :: p
    class(point), optional :: q
    integer, allocatable, optional :: held(:)
    integer, pointer, optional :: linked
    seen = n
    if (present (i)) seen = i
    if (present (text)) seen = len (text)
    if (present (list)) seen = size (list)
    seen = 0 !@ maybe
    print *, n, present (i), present (r), present (whole), present (p), present (q), present (held), present (linked)
  end subroutine
  function total (a) result (s)
    real(8), intent(in) :: a(:, :)
    real(8) :: s
    integer :: i
    s = 0
    do i = 1, size (a, 1)
      s = s + sum (a(i, :))
      seen = int (s) !@ total
    end do
  end function
  subroutine dirty ()
    integer(8), volatile :: junk(100)
    junk = 12345
    seen = int (junk(seen + 1))
  end subroutine
  subroutine sections (a)
    real(8), intent(in) :: a(3, 4)
    print *, total (a)
    print *, total (a(1:3:2, 2:4))
  end subroutine
  subroutine every (a)
    real(8), intent(in) :: a(:)
    seen = size (a)
    print *, a !@ every
  end subroutine
  subroutine those (a)
    real(8), pointer, intent(in) :: a(:)
    seen = size (a)
    print *, a !@ those
  end subroutine
  subroutine kinds (a)
    class(point), intent(in) :: a(:)
    seen = size (a)
    print *, a%y !@ kinds
  end subroutine
end module
program main
  use shapes
  implicit none
  type, extends(point) :: named
    integer :: number = 4
  end type
  real(8) :: a(3, 4)
  type(point), target :: points(5)
  type(named) :: names(4)
  real(8), pointer :: y(:)
  integer, allocatable :: none(:)
  integer, pointer :: null_one
  character(len=:), allocatable :: late
  character(len=:), pointer :: pointed
  integer :: i, j
  nullify (null_one, pointed)
  a = reshape ([((10 * i + j, i = 1, 3), j = 1, 4)], [3, 4])
  call maybe (3)
  call maybe (3, 5, 1.5d0, 'xyz', [4, 5], [1, 2, 3], point (), point (), none, null_one)
  seen = 0
  call dirty ()
  call sections (a)
  do i = 1, 5
    points(i)%y = 10 * i
  end do
  do i = 1, 4
    names(i)%y = 7 * i
  end do
  y => points%y
  call every (y)
  call every (points(2:5:2)%y)
  call those (y)
  call kinds (names)
  late = 'late'
  allocate (character(len=2) :: pointed)
  pointed = 'to'
  call kinds (names(2:3))
  print *, late, pointed
end program
