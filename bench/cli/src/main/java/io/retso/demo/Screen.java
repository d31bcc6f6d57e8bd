package io.retso.demo;

import java.io.PrintWriter;

/** Where the demo says what it does, until it has had its last word. Thread-safe. */
final class Screen {
  private final PrintWriter out;

  /** Whether a line is shown that the next one takes the place of. */
  private boolean isLive;

  private boolean isClosed;

  Screen(PrintWriter out) {
    this.out = out;
  }

  /** A line below all others. */
  synchronized void line(String text) {
    if (!isClosed) {
      endLive();
      print(text + System.lineSeparator());
    }
  }

  /** A line in the place of the live one, of the same length. */
  synchronized void replaceLive(String text) {
    if (!isClosed) {
      print((isLive ? "\r" : "") + text + System.lineSeparator());
      isLive = false;
    }
  }

  /** A line until the next one takes its place; it fits the terminal. */
  synchronized void live(String text) {
    if (!isClosed) {
      isLive = true;
      print("\r" + text);
    }
  }

  /** Keeps what is on the terminal, and says nothing more but the last word. */
  synchronized void close() {
    endLive();
    isClosed = true;
  }

  /** The last word. */
  synchronized void last(String text) {
    close();
    print(text + System.lineSeparator());
  }

  /** Whether it is closed. */
  synchronized boolean isClosed() {
    return isClosed;
  }

  private void endLive() {
    if (isLive) {
      print(System.lineSeparator());
      isLive = false;
    }
  }

  private void print(String text) {
    out.print(text);
    out.flush();
  }
}
