! SPDX-License-Identifier: GPL-3.0-or-later
! The same by the module mpi_f08, without the optional argument for errors.
program calls08
  use mpi_f08
  implicit none
  integer :: rank, ranks, left, right, value, got
  type(MPI_Status) :: status
  type(MPI_Request) :: request(2)
  type(MPI_Comm) :: comm
  character(len=8) :: mode
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  left = mod(rank + ranks - 1, ranks)
  right = mod(rank + 1, ranks)
  value = rank
  call MPI_Comm_dup(MPI_COMM_WORLD, comm)
  call MPI_Comm_set_name(comm, 'field')
  call MPI_Irecv(got, 1, MPI_INTEGER, left, 5, comm, request(1))
  call MPI_Isend(value, 1, MPI_INTEGER, right, 5, comm, request(2))
  call MPI_Waitall(2, request, MPI_STATUSES_IGNORE)
  print *, rank, 'waitall', got
  call MPI_Allreduce(MPI_IN_PLACE, value, 1, MPI_INTEGER, MPI_SUM, comm)
  print *, rank, 'sum', value
  mode = 'run'
  if (command_argument_count() > 0) call get_command_argument(1, mode)
  if (mode == 'hang') then
    call MPI_Recv(got, 1, MPI_INTEGER, left, 9, comm, status) !@ hang
  end if
  call MPI_Finalize()
end program calls08
