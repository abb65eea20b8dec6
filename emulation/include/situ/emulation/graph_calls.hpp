// SPDX-License-Identifier: Apache-2.0
// The calls for graphs; see api.hpp. A stream captures in thread-local mode: the thread that began must not make calls
// that could wait; other threads are not restricted. A capture has one stream here, while CUDA lets others join it.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include <situ/emulation/control.hpp>
#include <situ/emulation/stream_calls.hpp>

namespace situ::internal::cuda::emulated::calls {

using emulated::detail::CaptureMode;

/// Sets the mode of the calling thread to `mode`, and returns the previous one.
inline ErrorCode exchange_capture_mode(CaptureMode* mode) noexcept {
  std::swap(emulated::detail::capture_mode, *mode);
  return ErrorCode::success;
}

/// Operations put into the stream from now on are added to a graph and do not run.
inline ErrorCode capture_begin(Stream* stream) noexcept {
  return detail::with_stream(Call::graph, stream, "capture_begin", [&](Machine& here) {
    if (stream->capture != nullptr) {
      stream->capture->invalidated = true;
      return here.wrong(ErrorCode::capture_unsupported, "capture_begin: the stream captures already");
    }
    stream->capture = std::make_unique<Capture>();
    stream->capture->graph->device = stream->device;
    ++emulated::detail::captures;
    return ErrorCode::success;
  });
}
/// Also to be called after an error, so that the stream can be used again; the graph is then null.
inline ErrorCode capture_end(Stream* stream, Graph** graph) noexcept {
  return detail::call(Call::none, [&](Machine& here) {
    *graph = nullptr;
    if (!here.has(stream) || stream->capture == nullptr) {
      return here.wrong(ErrorCode::capture_unmatched, "capture_end: the stream does not capture");
    }
    if (pthread_equal(stream->capture->thread, pthread_self()) == 0) {
      stream->capture->invalidated = true;
      return here.wrong(ErrorCode::capture_wrong_thread, "capture_end: another thread began");
    }
    const std::unique_ptr<Capture> capture = std::move(stream->capture);
    --emulated::detail::captures;
    if (capture->invalidated) {
      return here.wrong(ErrorCode::capture_invalidated, "capture_end: an earlier call was not allowed in a capture");
    }
    here.graphs.insert(capture->graph.get());
    *graph = capture->graph.release();
    return ErrorCode::success;
  });
}

inline ErrorCode graph_destroy(Graph* graph) noexcept {
  return detail::call(Call::none, [&](Machine& here) {
    if (here.graphs.erase(graph) == 0) return here.wrong(ErrorCode::invalid_value, "graph_destroy: no such graph");
    delete graph;
    return ErrorCode::success;
  });
}
/// Kernels, copies and fills.
inline ErrorCode graph_nodes(Graph* graph, std::size_t* count) noexcept {
  return detail::call(Call::none, [&](Machine& here) {
    if (!here.graphs.contains(graph)) return here.wrong(ErrorCode::invalid_value, "graph_nodes: no such graph");
    *count = 0;
    for (const auto& operation : graph->operations) *count += operation->bookkeeping ? 0u : 1u;
    return ErrorCode::success;
  });
}
/// The graph may be destroyed afterwards.
inline ErrorCode graph_instantiate(GraphExec** made, Graph* graph) noexcept {
  return detail::call(Call::graph, [&](Machine& here) {
    if (!here.graphs.contains(graph)) return here.wrong(ErrorCode::invalid_value, "graph_instantiate: no such graph");
    auto executable = std::make_unique<GraphExec>();
    executable->graph = *graph;
    here.executable_graphs.insert(executable.get());
    *made = executable.release();
    return ErrorCode::success;
  });
}
/// Launches already in a stream still run.
inline ErrorCode graph_exec_destroy(GraphExec* executable) noexcept {
  return detail::call(Call::none, [&](Machine& here) {
    if (here.executable_graphs.erase(executable) == 0)
      return here.wrong(ErrorCode::invalid_value, "graph_exec_destroy: no such graph");
    delete executable;
    return ErrorCode::success;
  });
}
/// Runs after the operations in the stream, and after the last launch of the same graph.
inline ErrorCode graph_launch(GraphExec* executable, Stream* stream) noexcept {
  return detail::with_stream(Call::graph, stream, "graph_launch", [&](Machine& here) {
    if (const ErrorCode error = emulated::detail::check_current(here, *stream, "graph_launch"); is_error(error))
      return error;
    if (!here.executable_graphs.contains(executable)) {
      return here.wrong(ErrorCode::invalid_value, "graph_launch: no such graph");
    }
    if (stream->capture != nullptr) {
      stream->capture->invalidated = true;
      return here.wrong(ErrorCode::capture_unsupported, "graph_launch: a graph within a graph is not emulated");
    }
    if (executable->graph.device != stream->device) {
      return here.wrong(ErrorCode::invalid_value, "graph_launch: the graph is of another device than the stream");
    }
    const auto mark = [&](const char* name, std::shared_ptr<Record> waits_for, std::shared_ptr<Record> done) {
      auto operation = make_operation(name, [done] {
        if (done != nullptr) done->done = true;
      });
      operation->waits_for = std::move(waits_for);
      operation->bookkeeping = true;
      here.enqueue(*stream, std::move(operation));
    };
    if (executable->last != nullptr) {
      here.order_after(*stream, executable->last->order);
      if (!executable->last->done) mark("graph_launch", executable->last, nullptr);
    }
    executable->last = std::make_shared<Record>();
    executable->last->stream = stream;
    const auto last = executable->last;
    const auto operations = executable->graph.operations;  // an operation that runs at once may end the graph
    for (const std::shared_ptr<Operation>& captured : operations) {
      auto operation = make_operation(captured->name, [captured] { captured->run(); });
      operation->other_devices = captured->other_devices;
      operation->host = captured->host;
      operation->bookkeeping = captured->bookkeeping;
      operation->claim = captured->claim;
      here.enqueue(*stream, std::move(operation));
    }
    mark("graph_launch", nullptr, last);
    last->order = stream->order;
    return ErrorCode::success;
  });
}

}  // namespace situ::internal::cuda::emulated::calls
