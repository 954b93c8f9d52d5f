! SPDX-License-Identifier: GPL-3.0-or-later
! Procedures that leave by jumps; see test-oracle.py.
module chain
  implicit none
  integer, volatile :: sink
contains
  subroutine stop_here (number)
    integer, intent(in) :: number
    sink = number !@ stop
  end subroutine
  subroutine reach (number, other)
    integer, intent(in) :: number
    integer, intent(in), value :: other
    call stop_here (number)
    sink = sink + other
  end subroutine
  subroutine middle (number, other)
    integer, intent(in) :: number
    integer, intent(in), value :: other
    sink = 2
    call reach (number, other + 1)
  end subroutine
  subroutine first (number)
    integer, intent(in) :: number
    sink = number
    call middle (number, 10)
  end subroutine
  integer function twice (number)
    integer, intent(in), value :: number
    sink = number
    twice = once (number * 2)
  end function
  integer function once (number)
    integer, intent(in), value :: number
    integer :: kept
    kept = number
    call stop_here (kept)
    once = kept + sink
  end function
end module

program tails
  use chain
  implicit none
  integer :: start
  start = 4
  call first (start)
  start = start + sink
  start = start + twice (start)
  print *, start
end program
