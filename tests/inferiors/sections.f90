! SPDX-License-Identifier: GPL-3.0-or-later
! A section of an array as an argument, optimised: the compiler leaves fields of its descriptor out.
subroutine look (a)
  implicit none
  integer :: a(:,:)
  a(1,1) = a(2,2) + 1
  print *, a(2,1), a(1,2), a(2,2) !@ look
end subroutine

program sections
  implicit none
  interface
    subroutine look (a)
      integer :: a(:,:)
    end subroutine
  end interface
  integer :: x(6,8), i, j
  namelist /both/ i, x
  do i = 1, 6
    do j = 1, 8
      x(i,j) = 10 * i + j
    end do
  end do
  call look (x(1:6:2, 2:8:3))
end program
