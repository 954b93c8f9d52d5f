! SPDX-License-Identifier: GPL-3.0-or-later
! One rank reduces to another root than the others.
program swapped
  use mpi_f08
  implicit none
  integer :: rank, size, total, root
  character (len=16) :: argument
  call MPI_Init ()
  call MPI_Comm_rank (MPI_COMM_WORLD, rank)
  call MPI_Comm_size (MPI_COMM_WORLD, size)
  call get_command_argument (1, argument)
  root = 0
  if (argument /= '--fixed' .and. rank == size - 1) root = 1
  call MPI_Reduce (rank, total, 1, MPI_INTEGER, MPI_SUM, root, MPI_COMM_WORLD) !@ culprit
  call MPI_Barrier (MPI_COMM_WORLD)
  call done ()
  call MPI_Finalize ()
contains
  subroutine done ()
    flush (6)
  end subroutine done
end program swapped
