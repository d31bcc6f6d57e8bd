package io.retso.chaos.rollout;

import java.io.IOException;
import java.util.List;
import java.util.Map;

/** The oracles of one log, by their number from 0, and what happens to their processes. */
public interface Oracles {
  /** Where clients connect, {@code host:port} each. */
  List<String> addresses();

  /** Where they answer over HTTP, {@code host:port} each. */
  List<String> http();

  /**
   * Ends one cleanly if it runs, starts it, and waits until it serves.
   *
   * @param settings that it has beside those that make it an oracle of this log
   */
  void restart(int oracle, Map<String, String> settings) throws IOException, InterruptedException;

  /** Ends one from one moment to the next. */
  void kill(int oracle) throws IOException, InterruptedException;
}
