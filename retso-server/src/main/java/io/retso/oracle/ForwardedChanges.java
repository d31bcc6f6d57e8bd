package io.retso.oracle;

/**
 * Passes each change on to what is to have it at that moment; subclasses do otherwise with some.
 * Allocates nothing. As thread-safe as its targets.
 */
public abstract class ForwardedChanges implements Changes {
  /** What gets the next change. */
  protected abstract Changes target();

  @Override
  public void committed(long start, long commit, long[] rows, int from, int to) {
    target().committed(start, commit, rows, from, to);
  }

  @Override
  public void aborted(long start) {
    target().aborted(start);
  }

  @Override
  public void cleaned(long start) {
    target().cleaned(start);
  }

  @Override
  public void swept(long below) {
    target().swept(below);
  }

  @Override
  public void expired(long below) {
    target().expired(below);
  }

  @Override
  public void watermark(long below) {
    target().watermark(below);
  }

  @Override
  public void held(Hold hold) {
    target().held(hold);
  }

  @Override
  public void released(long timestamp) {
    target().released(timestamp);
  }
}
