! SPDX-License-Identifier: GPL-3.0-or-later
! Both ranks wait for the other's message first.
program crossed
  use mpi
  implicit none
  integer :: rank, value, ierr
  character (len=16) :: argument
  call MPI_Init (ierr)
  call MPI_Comm_rank (MPI_COMM_WORLD, rank, ierr)
  call get_command_argument (1, argument)
  value = rank
  if (argument == '--fixed' .and. rank == 1) then
    call MPI_Send (rank, 1, MPI_INTEGER, 0, 6, MPI_COMM_WORLD, ierr)
  end if
  call MPI_Recv (value, 1, MPI_INTEGER, 1 - rank, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr) !@ culprit
  if (argument /= '--fixed' .or. rank == 0) then
    call MPI_Send (rank, 1, MPI_INTEGER, 1 - rank, 6, MPI_COMM_WORLD, ierr)
  end if
  call MPI_Finalize (ierr)
end program crossed
