package io.retso.server.embedded;

import io.retso.server.config.Obstacle;
import io.retso.text.ErrorText;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import org.apache.bookkeeper.bookie.BookieException.InvalidCookieException;
import org.apache.zookeeper.KeeperException;
import org.rocksdb.RocksDBException;

/** Why an embedded bookie does not start, and what to do about it. Stateless. */
final class BookieFailure {
  private static final String GIVE_UP =
      ", or give the log up by choosing another data directory, with timestamps.first above every"
          + " timestamp in the tables";

  private BookieFailure() {}

  /** What did not start, where, why, and the remedy. */
  static IOException of(String what, Path dataDir, Throwable failure) {
    return new IOException(
        "cannot start " + what + " in " + dataDir + ": " + cause(failure) + "; " + remedy(failure),
        failure);
  }

  /** BookKeeper wraps the cause, and says of some wrappers only that something failed. */
  private static String cause(Throwable failure) {
    InvalidCookieException cookie = find(failure, InvalidCookieException.class);
    if (cookie != null && find(failure, IOException.class) == null) {
      return "its directories do not belong together: " + detail(cookie);
    }
    Throwable root = failure;
    while (root.getCause() != null) {
      root = root.getCause();
    }
    return ErrorText.of(root);
  }

  private static String detail(InvalidCookieException e) {
    String text = ErrorText.of(e);
    return text.equals(e.getClass().getSimpleName()) ? "some have no cookie" : text;
  }

  private static String remedy(Throwable failure) {
    Optional<Obstacle> obstacle = Obstacle.of(failure);
    if (obstacle.isPresent()) {
      return obstacle.get().remedy();
    } else if (find(failure, InvalidCookieException.class) != null) {
      return "put back what was deleted or moved from the directory" + GIVE_UP;
    } else if (find(failure, RocksDBException.class) != null) {
      return "look for a failing disk, and put back a sound copy of the directory" + GIVE_UP;
    } else if (find(failure, KeeperException.class) != null) {
      return "start it again; if that does not help, the lines of ZooKeeper above say more";
    }
    return "the lines above say more; if something in the directory was changed, put it back"
        + GIVE_UP;
  }

  private static <E extends Throwable> E find(Throwable failure, Class<E> type) {
    for (Throwable e = failure; e != null; e = e.getCause()) {
      if (type.isInstance(e)) {
        return type.cast(e);
      }
    }
    return null;
  }
}
