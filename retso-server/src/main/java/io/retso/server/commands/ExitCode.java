package io.retso.server.commands;

import io.retso.log.LogException;

/**
 * What a command's exit code means. The numbers follow sysexits.h where it has a fitting one.
 *
 * <p>A server that is ended by SIGTERM or SIGINT shuts down cleanly, and the JVM then reports the
 * signal as usual: 143 or 130.
 */
public enum ExitCode {
  CLEAN(0, "Done."),
  UNHEALTHY(
      1,
      "retso status: the server answers, but does not serve. Of any command: the JVM was not"
          + " started, as for a wrong option in RETSO_OPTS; its own lines say why."),
  OUT_OF_MEMORY(
      3,
      "The JVM ran out of memory, and ended at once. Every acknowledged commit is in the log: start"
          + " again with a larger heap."),
  USAGE(
      64,
      "A flag or a setting is wrong, or too small for what the log holds, or the heap is too small"
          + " for the settings, or a later version wrote the log. Nothing is served; a log that is"
          + " refused remains with its server."),
  UNREACHABLE(69, "retso status: nothing answers."),
  INTERNAL(70, "An error in ReTSO itself; the log lines have its stack trace. Please report it."),
  CANNOT_OPEN(
      73,
      "An address, a file or a library cannot be used: a port that is taken, a directory that is"
          + " not writable, too few open files. The last line says what to change."),
  LOG_UNAVAILABLE(
      74,
      "The log cannot be read or written, or was made with another secret. Restore BookKeeper and"
          + " ZooKeeper, or the secret, then start again."),
  LOG_CORRUPT(
      76,
      "The log has bytes that no server wrote, or lacks what it had. Do not start again; look at"
          + " the disks of the bookies and of ZooKeeper.");

  private final int number;
  private final String meaning;

  ExitCode(int number, String meaning) {
    this.number = number;
    this.meaning = meaning;
  }

  /** What it means and what to do, for people. */
  public String meaning() {
    return meaning;
  }

  /** The number that the process ends with. */
  public int number() {
    return number;
  }

  /** The code for a failure of the log. */
  public static ExitCode of(LogException.Reason reason) {
    return switch (reason) {
      case FENCED, GONE, UNAVAILABLE, LOCKED -> LOG_UNAVAILABLE;
      case CORRUPT, LOST -> LOG_CORRUPT;
      case TOO_LARGE, NEWER -> USAGE;
    };
  }

  /** What the operator should do about a failure of the log. */
  public static String remedy(LogException.Reason reason) {
    return switch (reason) {
      case FENCED, GONE, UNAVAILABLE ->
          "check that ZooKeeper and enough bookies run and have disk space; every acknowledged"
              + " commit is in the log";
      case LOCKED ->
          "give this server the secret.file and zookeeper.auth of the one that leads; if the secret"
              + " was replaced, keep the line before it until the ledgers of that are deleted";
      case CORRUPT ->
          "do not start the server again; look for failing disks on the bookies, and let BookKeeper"
              + " re-replicate from healthy copies";
      case TOO_LARGE ->
          "nothing is lost: start with an uncleaned.max as large as it was before, let clients or"
              + " 'retso hbase sweep' clean up, and make it smaller then";
      case NEWER -> "start the version that wrote it, or a later one; nothing was changed";
      case LOST ->
          "restore ZooKeeper's data, from a copy of its directory for example. Only if the log is"
              + " to be given up, begin a new one: choose another log.znode, and set"
              + " timestamps.first above every timestamp in the tables";
    };
  }
}
