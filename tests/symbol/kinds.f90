! SPDX-License-Identifier: GPL-3.0-or-later
! Numbers of each kind, dummies that are not present, and what CLASS(*) holds. The questions are at the end.
module kinds
  implicit none
contains
  subroutine give (given, number, text, row, pointed, heap, object, copied, other)
    integer, intent(in) :: given
    integer, intent(in), optional :: number
    character(len=*), intent(in), optional :: text
    real, intent(in), optional :: row(:)
    integer, pointer, optional :: pointed
    real, allocatable, optional :: heap(:)
    class(*), intent(in), optional :: object
    integer, value, optional :: copied
    interface
      subroutine other ()
      end subroutine other
    end interface
    optional :: other
    if (present (number)) then
      print *, given, number                         !@ all
    else
      print *, given                                 !@ few
    end if
  end subroutine give
  subroutine nothing ()
  end subroutine nothing
end module kinds

program main
  use kinds
  implicit none
  real(16) :: third = 1.0_16 / 3, both(2) = [1.0_16 / 3, 2.0_16]
  complex(16) :: pair = (0.1_16, -0.25_16)
  real(10) :: extended = 1.0_10 / 3
  real, allocatable :: heap(:)
  integer, target :: target = 5
  integer, pointer :: pointed
  pointed => target
  allocate (heap(2:4))
  heap = [1.0, 2.0, 3.0]
  call give (1)
  call give (1, 2, 'text', heap, pointed, heap, 'in the object', 0, nothing)
  print *, third, both, pair, extended               !@ end
end program main

!? few: present (given) => .true.
!? few: present (number) => .false.
!? few: present (text) => .false.
!? few: present (row) => .false.
!? few: present (pointed) => .false.
!? few: present (heap) => .false.
!? few: present (object) => .false.
!? few: present (copied) => .false.
!? few: present (other) => .false.
!? few: present (1) => cannot take present: the argument is no dummy argument
!? all: present (given) .and. present (number) .and. present (text) => .true.
!? all: present (row) => .true.
!? all: present (pointed) => .true.
!? all: present (heap) => .true.
!? all: present (object) => .true.
!? all: present (copied) => .true.
!? all: present (other) => .true.
!? all: object => (character (len=:)) 'in the object'
!? all: size (heap) => 3
!? end: third => 0.3333333333333333333333333333333333
!? end: both => (0.3333333333333333333333333333333333, 2)
!? end: pair => (0.1,-0.25)
!? end: third == third + 1e-30 => .false.
!? end: third * 3 == 1 => .true.
!? end: 1.0_16 / 3 == third => .true.
!? end: 1.0_8 / 3 == third => .false.
!? end: kind (third)
!? end: kind (extended) => 10
!? end: kind (pair) => 16
!? end: real (third, 16) == third => .true.
!? end: real (third, 8) == third => .false.
!? end: abs (pair) > 0.2692582403567252015625355245770163_16 => .true.
!? end: printf "%.36f", third => 0.333333333333333333333333333333333317
!? end: allocated (heap)
!? end: associated (pointed)
