! SPDX-License-Identifier: GPL-3.0-or-later
! How arguments of Fortran go: by address, by value, sections. gdb passes all by address, so what is
! right is said here. The questions are at the end.
module m
contains
  integer function both(a, b, c) result(r)
    integer, value :: a
    integer :: b
    real(8), value :: c
    r = a*100 + b*10 + int(c)
  end function
  integer function third(n) bind(c)
    use iso_c_binding
    integer(c_int), value :: n
    third = n + 3
  end function
  real function pair(z, x)
    complex, value :: z
    real :: x
    pair = real(z) + x
  end function
  integer function total(v)
    integer :: v(3)
    total = sum(v)
  end function
end module
program p
  use m
  integer :: grid(3,3)
  integer :: i
  grid = reshape([(i,i=1,9)],[3,3])
  print *, both(1,2,3d0), third(4), pair((1.0,2.0), 3.0), total(grid(:,1))
  i = 5
  print *, i, grid(1,1)                              !@ main
end program

!? main: both(1, 2, 3d0) => 123
!? main: both(5, grid(2, 1), 3.5d0) => 523
!? main: third(4) => 7
!? main: third(grid(1, 1)) => 4
!? main: total(grid(:, 2))
!? main: total(grid(2, :)) => <cannot pass this section: its elements are not contiguous>
!? main: ptype mod(3.0, 2.0) => type = real(kind=8)
