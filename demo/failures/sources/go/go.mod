module example.org/pool

go 1.19
