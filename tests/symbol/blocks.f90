! SPDX-License-Identifier: GPL-3.0-or-later
! BLOCK and ASSOCIATE constructs that hide each other's variables: `show` is always given what the caller calls x.
module host
  implicit none
  integer :: g = 7
contains
  subroutine show (a)
    integer, intent(in) :: a
    if (a == -1) print *, "block; associate (x => a) ! no construct"
  end subroutine
  subroutine each (n)
    integer, intent(in) :: n
    integer :: i, block
    block = n
    call show (g)
    block
      integer :: g
      g = 20; call show (g)
    end block
    do i = 1, block
      steps: block
        integer :: g
        g = 30 + i
        call show (g)
        block; integer :: g
          g = 40 + i
          call show (g)
        end block
        call show (g)
      endblock steps
      call show (g)
    end do
    associate (g => &  ! end block
      n)
      call show (g)
      select case (n)
      case (2)
        block
          integer :: g
          g = 50
          call show (g)
        end block
      end select
      call show (g)
    end associate
    call show (g)
  end subroutine
  subroutine whole (x, n)
    integer, intent(inout) :: x
    integer, intent(in) :: n
    call show (x)
    block
      integer :: x
      real :: room(n)
      x = 60
      room = 1.5
      call show (x)
    end block
    x = x + 1
    call show (x)
    if (n > 1) then
      block
        integer :: x
        x = 70
        call show (x)
      end block
    end if
    call show (x)
  end subroutine
end module
program blocks
  use host
  integer :: x
  x = 3
  call each (2)
  call whole (x, 4)
end program
