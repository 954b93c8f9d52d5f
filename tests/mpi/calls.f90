! SPDX-License-Identifier: GPL-3.0-or-later
! Fortran's own entries, by the module mpi: it must print the same with and without the recorder.
program calls
  use mpi
  implicit none
  integer :: rank, ranks, left, right, value, got, error, request(2), total, index
  integer :: status(MPI_STATUS_SIZE), statuses(MPI_STATUS_SIZE, 2)
  character(len=8) :: mode
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
  left = mod(rank + ranks - 1, ranks)
  right = mod(rank + 1, ranks)
  value = rank
  got = -1
  call MPI_Irecv(got, 1, MPI_INTEGER, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, request(1), error)
  call MPI_Isend(value, 1, MPI_INTEGER, right, 5, MPI_COMM_WORLD, request(2), error)
  call MPI_Waitall(2, request, MPI_STATUSES_IGNORE, error)
  print *, rank, 'waitall', got, error
  call MPI_Sendrecv(value, 1, MPI_INTEGER, right, 6, got, 1, MPI_INTEGER, left, 6, &
                    MPI_COMM_WORLD, status, error)
  print *, rank, 'sendrecv', got, status(MPI_SOURCE), status(MPI_TAG)
  call MPI_Irecv(got, 1, MPI_INTEGER, left, 7, MPI_COMM_WORLD, request(1), error)
  request(2) = MPI_REQUEST_NULL
  call MPI_Send(value, 1, MPI_INTEGER, right, 7, MPI_COMM_WORLD, error)
  call MPI_Waitany(2, request, index, status, error)
  print *, rank, 'waitany', got, index, status(MPI_SOURCE)
  call MPI_Allreduce(MPI_IN_PLACE, value, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
  print *, rank, 'sum', value
  mode = 'run'
  if (command_argument_count() > 0) call get_command_argument(1, mode)
  if (mode == 'hang') then
    call MPI_Recv(got, 1, MPI_INTEGER, left, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error) !@ hang
  end if
  call MPI_Finalize(error)
end program calls
