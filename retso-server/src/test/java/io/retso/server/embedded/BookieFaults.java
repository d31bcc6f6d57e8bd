package io.retso.server.embedded;

import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.apache.bookkeeper.bookie.BookieImpl;
import org.apache.bookkeeper.bookie.StateManager;

/** What may happen to a bookie in this process besides its end. */
public final class BookieFaults {
  private BookieFaults() {}

  /** Has a bookie end itself. */
  public static void fail(EmbeddedBookKeeper cluster, int bookie) {
    cluster.server(bookie).shutdown();
  }

  /** Has a bookie answer nothing; its connections stay. */
  public static void suspend(EmbeddedBookKeeper cluster, int bookie) {
    cluster.server(bookie).suspendProcessing();
  }

  /** The end of {@link #suspend}. */
  public static void resume(EmbeddedBookKeeper cluster, int bookie) {
    cluster.server(bookie).resumeProcessing();
  }

  /** Has a bookie take no more entries, as if its disk were full, or take them again. */
  public static void setWritable(EmbeddedBookKeeper cluster, int bookie, boolean isWritable) {
    StateManager state = ((BookieImpl) cluster.server(bookie).getBookie()).getStateManager();
    Future<Void> changed =
        isWritable ? state.transitionToWritableMode() : state.transitionToReadOnlyMode();
    try {
      changed.get();
    } catch (InterruptedException | ExecutionException e) {
      throw new IllegalStateException(e);
    }
  }
}
