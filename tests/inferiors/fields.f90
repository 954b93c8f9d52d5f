! SPDX-License-Identifier: GPL-3.0-or-later
! Arrays of Fortran's kinds: bounds that are not 1, strides, a hole, bare and by descriptors.
module sums
  implicit none
contains
  subroutine look (part, n, rest)
    real (8), intent (in) :: part(:,:)
    integer, intent (in) :: n, rest(0:n, *)
    print *, part(1, 1), rest(0, 1) !@ look
  end subroutine
end module

program fields
  use sums
  implicit none
  integer :: i, j, k, rank = 0
  character (len=8) :: text
  integer :: fixed(-1:1, 2) = reshape ([11, 12, 13, 21, 22, 23], [3, 2])
  real (8), allocatable :: field(:,:), box(:,:,:), never(:)
  real (8), pointer :: column(:), back(:)
  real (8), target :: line(6)
  complex (4) :: waves(2) = [(1.0, -2.0), (3.0, 4.0)]
  integer :: rest(0:2, 3)
  allocate (field(0:3, 2:4), box(2, 3, 4))
  do j = 2, 4
    do i = 0, 3
      field(i, j) = 10 * i + j
    end do
  end do
  field(1, 3) = 0
  field(1, 3) = field(1, 3) / field(1, 3) ! not a number
  do k = 1, 4
    do j = 1, 3
      do i = 1, 2
        box(i, j, k) = 100 * i + 10 * j + k
      end do
    end do
  end do
  call get_environment_variable ('OMPI_COMM_WORLD_RANK', text)
  if (len_trim (text) > 0) read (text, *) rank
  line = [(i * 1.5d0 + 100 * mod (rank, 2), i = 1, 6)]
  column => line(1:5:2)
  back => line(6:1:-1)
  rest = reshape ([(i, i = 0, 8)], [3, 3])
  call look (field(::2, ::2), 2, rest)
  print *, fixed, field, box, column, back, waves, allocated (never) !@ main
end program
