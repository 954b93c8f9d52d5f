! SPDX-License-Identifier: GPL-3.0-or-later
! Fortran's own way into MPI. any: MPI_Waitany takes one of three, the others are still to be seen; half: of
! a MPI_Sendrecv one half is complete; wild: what came from anywhere was asked for; right: special arguments,
! which are variables here, are not what they look like, by both modules.
subroutine share_rightly ()
  use mpi_f08
  implicit none
  integer :: values(8)

  values = 1
  call MPI_Allgather (MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, values, 2, MPI_INTEGER, MPI_COMM_WORLD)
  call MPI_Allgather (MPI_IN_PLACE, 7, MPI_REAL, values, 2, MPI_INTEGER, MPI_COMM_WORLD)
  call MPI_Alltoall (MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, values, 2, MPI_INTEGER, MPI_COMM_WORLD)
  call MPI_Allreduce (MPI_IN_PLACE, values, 2, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
end subroutine share_rightly

subroutine gather_rightly (rank)
  use mpi
  implicit none
  integer, intent (in) :: rank
  integer :: values(8), ierr

  values = 1
  call MPI_Allgather (MPI_IN_PLACE, 7, MPI_REAL, values, 2, MPI_INTEGER, MPI_COMM_WORLD, ierr)
  if (rank == 0) then
    call MPI_Gather (MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, values, 2, MPI_INTEGER, 0, MPI_COMM_WORLD, ierr)
    call MPI_Scatter (values, 2, MPI_INTEGER, MPI_IN_PLACE, 9, MPI_REAL, 0, MPI_COMM_WORLD, ierr)
  else
    call MPI_Gather (values, 2, MPI_INTEGER, values(5), 0, MPI_REAL, 0, MPI_COMM_WORLD, ierr)
    call MPI_Scatter (values(5), 9, MPI_REAL, values, 2, MPI_INTEGER, 0, MPI_COMM_WORLD, ierr)
  end if
end subroutine gather_rightly

subroutine meet_anybody (rank)
  use mpi
  implicit none
  integer, intent (in) :: rank
  integer :: i, got, ierr, request(1)

  do i = 1, 2
    if (rank == 1) then
      call MPI_Send (rank, 1, MPI_INTEGER, 0, 4, MPI_COMM_WORLD, ierr)
    else if (i == 1) then
      call MPI_Recv (got, 1, MPI_INTEGER, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    else
      call MPI_Irecv (got, 1, MPI_INTEGER, MPI_ANY_SOURCE, 4, MPI_COMM_WORLD, request(1), ierr)
      call MPI_Waitall (1, request, MPI_STATUSES_IGNORE, ierr)
    end if
  end do
  call MPI_Recv (got, 1, MPI_INTEGER, 1 - rank, 99, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
end subroutine meet_anybody

program fortran
  use mpi
  implicit none
  integer :: rank, requests(3), values(3), index, got, i, ierr
  character (len=16) :: mode

  call MPI_Init (ierr)
  call MPI_Comm_rank (MPI_COMM_WORLD, rank, ierr)
  call get_command_argument (1, mode)
  values = 0
  if (mode == 'right') then
    call share_rightly ()
    call gather_rightly (rank)
  else if (mode == 'wild') then
    call meet_anybody (rank)
  else if (mode == 'any' .and. rank == 0) then
    do i = 1, 3
      call MPI_Irecv (values(i), 1, MPI_INTEGER, 1, i, MPI_COMM_WORLD, requests(i), ierr)
    end do
    call MPI_Waitany (3, requests, index, MPI_STATUS_IGNORE, ierr)
    call MPI_Waitall (3, requests, MPI_STATUSES_IGNORE, ierr) !@ rest
  else if (mode == 'any') then
    call MPI_Send (rank, 1, MPI_INTEGER, 0, 2, MPI_COMM_WORLD, ierr)
    call MPI_Recv (got, 1, MPI_INTEGER, 0, 99, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
  else if (rank == 0) then
    call MPI_Sendrecv (rank, 1, MPI_INTEGER, 1, 7, got, 1, MPI_INTEGER, 1, 8, &
                       MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
  else
    call MPI_Recv (got, 1, MPI_INTEGER, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    call MPI_Recv (got, 1, MPI_INTEGER, 0, 99, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
  end if
  call MPI_Finalize (ierr)
end program fortran
