! SPDX-License-Identifier: GPL-3.0-or-later
! Procedures to be called by hand.
module procedures
  implicit none
contains
  function area (a, b) result (r)
    real (8), intent (in) :: a, b
    real (8) :: r
    r = a * b
  end function
  integer function total (v, n)
    integer, intent (in) :: n
    integer, intent (in) :: v(n)
    total = sum (v)
  end function
  integer function length (s)
    character (len=*), intent (in) :: s
    length = len_trim (s)
  end function
  subroutine bump (i)
    integer, intent (inout) :: i
    i = i + 1
  end subroutine
  integer function shape_sum (v)
    integer, intent (in) :: v(:)
    shape_sum = sum (v)
  end function
end module

program called
  use procedures
  implicit none
  integer :: k = 5, v(4) = [1, 2, 3, 4]
  integer, allocatable :: w(:)
  character (len=10) :: name = 'abc'
  allocate (w(3))
  w = 7
  call bump (k)
  print *, area (2d0, 3d0), total (v, 4), length (name), k, shape_sum (w) !@ end
end program
