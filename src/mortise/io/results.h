// Results of a run: write them (ResultWriter, a Sink), read them (ResultReader), turn them into CSV.
#pragma once

#include "mortise/io/results_csv.h"
#include "mortise/io/results_reader.h"
#include "mortise/io/results_writer.h"
