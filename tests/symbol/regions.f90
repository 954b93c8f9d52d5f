! SPDX-License-Identifier: GPL-3.0-or-later
! A parallel region of a contained procedure; see test-regions.py.
program regions
    implicit none
    call work (5)
contains
    subroutine work (n)
        integer, intent(in) :: n
        integer :: list(n), i
        character(len=n) :: text
        real :: sum
        list = [(2 * i, i = 1, n)]
        text = 'hello'
        sum = 0
        !$omp parallel do num_threads(2) reduction(+:sum)
        do i = 1, 1
            sum = sum + list(i) + ichar (text(i:i)) !@ fortran
        end do
        !$omp end parallel do
        print *, sum, twice (n)
    end subroutine
    integer function twice (n)
        integer, intent(in) :: n
        twice = 2 * n
    end function
end program
