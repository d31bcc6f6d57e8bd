package io.retso.bench.server;

import io.retso.report.BenchException;
import io.retso.text.ErrorText;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Which servers to start, and how.
 *
 * @param logOff whether to start a server without a log
 * @param logOn whether to start a durable server
 * @param remote a server that runs already, instead of children
 * @param mapRows rows that the servers remember
 * @param directory for the servers' data and output
 * @param mainClass runs {@code retso} and ends with its standard input
 * @param jvmOptions of the servers
 * @param flags of the servers, behind those that are always given
 */
public record ServersPlan(
    boolean logOff,
    boolean logOn,
    Optional<InetSocketAddress> remote,
    long mapRows,
    Path directory,
    String mainClass,
    List<String> jvmOptions,
    List<String> flags) {

  /** This plan with other sizes of the servers. */
  public ServersPlan with(long rows, List<String> moreJvmOptions, List<String> moreFlags) {
    return new ServersPlan(
        logOff,
        logOn,
        remote,
        rows,
        directory,
        mainClass,
        joined(jvmOptions, moreJvmOptions),
        joined(flags, moreFlags));
  }

  /**
   * Makes the directory unless it is there.
   *
   * @throws BenchException if that fails; says what to do
   */
  public void makeDirectory() throws BenchException {
    try {
      Files.createDirectories(directory);
    } catch (IOException e) {
      throw new BenchException(
          "cannot create "
              + directory
              + " ("
              + ErrorText.of(e)
              + "); choose a writable directory with --out",
          e);
    }
  }

  private static List<String> joined(List<String> first, List<String> second) {
    return Stream.concat(first.stream(), second.stream()).toList();
  }
}
