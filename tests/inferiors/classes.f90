! SPDX-License-Identifier: GPL-3.0-or-later
! CLASS variables whose objects are of other types than they are declared with.
module lists
  implicit none
  type, abstract :: node_t
    integer :: id = 0
    class (node_t), pointer :: next => null ()
  end type
  type, extends (node_t) :: int_node
    integer :: n = 3
  end type
  type, extends (int_node) :: long_node
    real (8) :: r(2) = [1.5d0, 2.5d0]
    character (len=:), allocatable :: label
  end type
contains
  subroutine show (self, any, all)
    class (node_t), intent (in) :: self
    class (*), intent (in) :: any
    class (int_node), intent (in) :: all(:)
    print *, self%id, size (all) !@ show
  end subroutine
end module

program classes
  use lists
  implicit none
  class (node_t), pointer :: head, nobody
  class (int_node), allocatable :: all(:)
  type, extends (node_t) :: local_t
    integer :: extra = 77
  end type
  type (local_t) :: own
  integer :: i

  nobody => null ()
  allocate (int_node :: head)
  head%id = 1
  allocate (long_node :: head%next)
  head%next%id = 2
  select type (it => head%next)
  type is (long_node)
    it%label = 'second'
  end select
  allocate (long_node :: all(3))
  select type (all)
  type is (long_node)
    do i = 1, 3
      all(i)%n = 10 * i
      all(i)%r = i
    end do
  end select
  call show (head%next, 42, all)
  call show (own, 2.5d0, all)
  call show (head, 'text', all)
  call show (head, .true., all)
  if (associated (nobody)) print *, i
end program
