package io.retso.oracle;

import java.util.List;

/** Adds each change to a list, like "committed 160". */
record ChangesInWords(List<String> log) implements Changes {
  @Override
  public void committed(long start, long commit, long[] rows, int from, int to) {
    log.add("committed " + start);
  }

  @Override
  public void aborted(long start) {
    log.add("aborted " + start);
  }

  @Override
  public void cleaned(long start) {
    log.add("cleaned " + start);
  }

  @Override
  public void swept(long below) {
    log.add("swept " + below);
  }

  @Override
  public void expired(long below) {
    log.add("expired " + below);
  }

  @Override
  public void watermark(long below) {
    log.add("watermark " + below);
  }

  @Override
  public void held(Hold hold) {
    log.add("held " + hold.name() + " " + hold.timestamp());
  }

  @Override
  public void released(long timestamp) {
    log.add("released " + timestamp);
  }
}
