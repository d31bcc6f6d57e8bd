package io.retso.server.embedded;

import java.util.Arrays;
import org.apache.bookkeeper.bookie.BookieShell;
import org.apache.bookkeeper.meta.MetadataDrivers;
import org.apache.bookkeeper.server.Main;

/**
 * BookKeeper's own programs, for bookies whose ZooKeeper asks for a password: {@code bookie} runs
 * one, {@code shell} looks after them. What is behind that is BookKeeper's.
 */
public final class BookieMain {
  private BookieMain() {}

  /** Runs one of both; it ends the process with BookKeeper's exit code. */
  public static void main(String[] arguments) throws Exception {
    String[] rest = Arrays.copyOfRange(arguments, Math.min(1, arguments.length), arguments.length);
    registerDrivers();
    if (arguments.length > 0 && arguments[0].equals("shell")) {
      BookieShell.main(rest);
    } else {
      Main.main(rest);
    }
  }

  /** In place of BookKeeper's own, from here on in this process. */
  static void registerDrivers() {
    MetadataDrivers.registerBookieDriver("zk", SessionBookieDriver.class, true);
    MetadataDrivers.registerClientDriver("zk", SessionClientDriver.class, true);
  }
}
