! SPDX-License-Identifier: GPL-3.0-or-later
! Modules, contained procedures, recursion and arrays of every kind on the stack; stopped in reached.
! See test-oracle.py.
module grid
  implicit none
  integer, parameter :: n = 4
  real(8), allocatable :: cells(:, :)
  type :: point
    integer :: x, y
    real :: weight
  end type point
  integer :: sink = 0
contains
  subroutine reached(number)
    integer, intent(in) :: number
    sink = sink + number
  end subroutine reached

  recursive integer function factorial(k) result(product)
    integer, intent(in) :: k
    if (k <= 1) then
      call reached(k)
      product = 1
    else
      product = k * factorial(k - 1)
    end if
  end function factorial

  subroutine relax(field, where, rate)
    real(8), intent(inout) :: field(:, :)
    type(point), intent(in) :: where
    real, intent(in) :: rate
    integer :: i
    do i = 1, size(field, 1)
      field(i, where%y) = field(i, where%y) * rate
    end do
    call inner(i)
  contains
    subroutine inner(last)
      integer, intent(in) :: last
      character(len=5) :: label
      label = 'inner'
      call reached(last + len_trim(label))
    end subroutine inner
  end subroutine relax
end module grid

program oracle
  use grid
  implicit none
  type(point) :: centre
  integer :: fact
  integer(8), dimension(3) :: counts
  logical :: done
  centre = point(2, 3, 0.5)
  counts = (/ 10_8, 20_8, 30_8 /)
  allocate(cells(n, n))
  cells = 1.0d0
  done = .false.
  fact = factorial(3)
  call relax(cells, centre, 0.25)
  done = sum(counts) > 0 .and. fact == 6
  if (done) call reached(7)
  deallocate(cells) !@ end
end program oracle
