package io.retso.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.ChildJvm;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Processes that are ended by SIGTERM while children of theirs write. */
@Timeout(120)
class DeleteAtExitTest {
  private static final int SIGINT = 2;
  private static final int SIGTERM_EXIT = 143;

  @TempDir Path directory;

  /** What a process watches over. */
  private enum Guard {
    DATA,
    CHILDREN,
    NOTHING_ANY_MORE
  }

  /** Has a guard; prints the process id of its child; hangs. */
  public static final class Parent {
    private Parent() {}

    /** Runs it: where the data is, and what is guarded. */
    public static void main(String[] arguments) throws Exception {
      Path data = Path.of(arguments[0]);
      Guard guard = Guard.valueOf(arguments[1]);
      DeleteAtExit exit =
          guard == Guard.CHILDREN ? DeleteAtExit.keepingData() : DeleteAtExit.of(data);
      if (guard == Guard.NOTHING_ANY_MORE) {
        exit.close();
      }
      ChildProcess child =
          ChildProcess.start(
              "a writer",
              data.resolve("output.txt"),
              data.resolve("ready"),
              List.of(),
              Writer.class.getName(),
              List.of(data.toString()));
      child.awaitReady();
      System.out.println(child.pid());
      Thread.currentThread().join(); // itself: for ever
    }
  }

  /** Writes file after file for a minute, also after its parent ended. */
  public static final class Writer {
    private Writer() {}

    /** Runs it: where to. */
    public static void main(String[] arguments) throws IOException {
      Path data = Path.of(arguments[0]);
      long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
      for (long n = 0; System.nanoTime() < end; n = (n + 1) % 1000) {
        Files.writeString(Files.createDirectories(data.resolve("d" + n)).resolve("file"), "x");
        Files.writeString(data.resolve("ready"), "");
      }
    }
  }

  /** Returns the process id of the child after the parent was ended. */
  private long endInTheMiddle(Path data, Guard guard, boolean isChildStopped) throws Exception {
    Process parent =
        ChildJvm.builder(
                List.of(
                    "-cp",
                    System.getProperty("java.class.path"),
                    Parent.class.getName(),
                    data.toString(),
                    guard.name()))
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    try (BufferedReader out = parent.inputReader()) {
      String pid = out.readLine();
      assertNotNull(pid, "ended by itself");
      if (isChildStopped) {
        assertEquals(0, new ProcessBuilder("kill", "-STOP", pid).start().waitFor());
      }
      parent.toHandle().destroy(); // SIGTERM; the process itself would close the stream, too
      assertTrue(parent.waitFor(60, TimeUnit.SECONDS));
      assertEquals(SIGTERM_EXIT, parent.exitValue());
      return Long.parseLong(pid);
    } finally {
      parent.destroyForcibly();
    }
  }

  @Test
  void childrenAndDataGoWithTheProcess() throws Exception {
    Path data = directory.resolve("data");
    long child = endInTheMiddle(data, Guard.DATA, false);
    assertFalse(ProcessHandle.of(child).map(ProcessHandle::isAlive).orElse(false));
    assertFalse(Files.exists(data), data::toString);
  }

  /** It would stay stopped for ever. */
  @Test
  void aStoppedChildGoesWithTheProcessThoughDataStays() throws Exception {
    Path data = directory.resolve("data");
    long child = endInTheMiddle(data, Guard.CHILDREN, true);
    assertFalse(ProcessHandle.of(child).map(ProcessHandle::isAlive).orElse(false));
    assertTrue(Files.exists(data.resolve("ready")));
  }

  /** A terminal sends SIGINT to each of its processes: the parent decides how a child ends. */
  @Test
  @EnabledOnOs(OS.LINUX)
  void childrenIgnoreInterruptsOfTheTerminal() throws Exception {
    try (ChildProcess child =
        ChildProcess.start(
            "a writer",
            directory.resolve("output.txt"),
            directory.resolve("data").resolve("ready"),
            List.of(),
            Writer.class.getName(),
            List.of(directory.resolve("data").toString()))) {
      child.awaitReady();
      String ignored =
          Files.readAllLines(Path.of("/proc", Long.toString(child.pid()), "status")).stream()
              .filter(line -> line.startsWith("SigIgn:"))
              .findFirst()
              .orElseThrow();
      long signals = Long.parseUnsignedLong(ignored.substring(7).strip(), 16);
      assertEquals(1, signals >> (SIGINT - 1) & 1, ignored);
      child.kill(); // before JUnit deletes the directory
    }
  }

  @Test
  void whatIsWantedStays() throws Exception {
    Path data = directory.resolve("data");
    ProcessHandle child =
        ProcessHandle.of(endInTheMiddle(data, Guard.NOTHING_ANY_MORE, false)).orElseThrow();
    assertTrue(child.isAlive());
    child.destroyForcibly();
    child.onExit().join(); // before JUnit deletes the directory
    assertTrue(Files.exists(data.resolve("ready")));
  }
}
