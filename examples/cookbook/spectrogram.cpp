// SPDX-License-Identifier: Apache-2.0
// The spectrogram of a sweep, a tone that rises from 200 to 3,000 Hz in two seconds, in noise: the power of short
// frames of it, by frequency and time, in decibels. Prints it as a picture; the loudest frequency of each frame must be
// within one bin of the sweep's, and the signal of the frames must be the sound.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <numbers>

#include <situ/fft.hpp>
#include <situ/situ.hpp>

using namespace situ;

template <Device D>
bool run(D device) {
  constexpr std::int64_t rate = 8000, samples = 2 * rate, frame = 256, hop = 128;
  constexpr double from = 200, to = 3000, seconds = 2, pi = std::numbers::pi;
  const Tensor t = eval(arange<double>(samples, device) / static_cast<double>(rate));
  const Tensor phase = eval(2 * pi * (from * t + (to - from) / (2 * seconds) * square(t)));
  Generator generator(1);
  const Tensor sound = eval(cast<float>(sin(phase)) + 0.1f * randn<float>({samples}, device, generator));

  // [spectrogram]
  const Tensor window = hann_window(frame, device);
  const Tensor spectra = stft(sound, frame, window, {.hop_length = hop});      // (frequencies, frames)
  const Tensor decibel = eval(10 * log10(square(abs(spectra)) + 1e-10f));
  const Tensor frequency = rfftfreq(frame, 1.0 / rate, device);                // in Hz, of each row
  // [spectrogram-end]

  const Tensor picture = decibel.to(cpu);
  const float loud = max(picture).item();
  for (std::int64_t row = frame / 2 - 4; row >= 0; row -= 8) {
    std::printf("%5.0f Hz |", static_cast<double>(frequency.element(row).to(cpu).item()));
    for (std::int64_t column = 0; column < picture.extent(1); column += 2) {
      const float below = loud - max(picture(range(row, row + 8), column)).item();
      std::printf("%c", below < 10 ? '#' : below < 25 ? '+' : below < 30 ? '.' : ' ');
    }
    std::printf("|\n");
  }

  // Frame k is centered at sample k * hop; frames at the ends have reflected samples.
  const Tensor loudest = argmax(decibel, 0).to(cpu);
  bool right = true;
  for (std::int64_t k = 1; k + 1 < loudest.extent(0); ++k) {
    const double at = from + (to - from) * static_cast<double>(k * hop) / static_cast<double>(samples);
    right = right && std::abs(static_cast<double>(loudest(k) * rate) / frame - at) <= static_cast<double>(rate) / frame;
  }
  const Tensor back = istft(spectra, frame, window, {.hop_length = hop, .length = samples});
  const float error = max(abs(back - sound)).to(cpu).item();
  std::printf("the frames give the sound back within %.1e\n", static_cast<double>(error));
  return right && error < 1e-5f;
}

int main(int argc, char** argv) {
  const auto device = parse_device(argc > 1 ? argv[1] : device_name(try_gpu()));
  return with_device(device, [](auto d) { return run(d); }) ? 0 : 1;
}
