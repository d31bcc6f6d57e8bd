package io.retso.chaos.clients;

import io.retso.chaos.load.Load;
import io.retso.client.OracleClient;
import io.retso.client.OracleClientBuilder;
import io.retso.cluster.SecuredFiles;
import io.retso.verify.clients.RunIsolation;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * What a process of clients does; it travels as a file.
 *
 * @param oracles addresses, {@code host:port} each
 * @param load transactions at a constant rate, whose answers are timed; null for none
 * @param work what is judged; null for none
 * @param seed of its random numbers
 * @param origin the {@link System#nanoTime} from which times count
 * @param directory for what it writes, of this process alone
 * @param heapMebibytes its heap
 * @param keys directory of {@link SecuredFiles}, by which it identifies itself; null to speak in
 *     clear
 */
public record ClientsPlan(
    List<String> oracles,
    Load.Plan load,
    Work work,
    long seed,
    long origin,
    String directory,
    int heapMebibytes,
    String keys) {
  /** The files of {@link #keys}. */
  Optional<SecuredFiles> files() {
    return Optional.ofNullable(keys).map(Path::of).map(SecuredFiles::at);
  }

  /** Begins a client of all oracles. */
  OracleClientBuilder client(String name) {
    OracleClientBuilder builder = OracleClient.builder().name(name);
    files().ifPresent(files -> builder.security(files.security()));
    oracles.forEach(builder::address);
    return builder;
  }

  /**
   * Workloads that are judged.
   *
   * @param isolation of their transactions
   * @param lists threads that append to lists and read them
   * @param banks threads that transfer money and add it up
   * @param bankPauseMillis of such a thread after each transaction, at most
   * @param listMax length from which a list is left alone
   * @param firstGeneration where the groups of lists begin
   */
  public record Work(
      RunIsolation isolation,
      int lists,
      int banks,
      int bankPauseMillis,
      int listMax,
      int firstGeneration) {}
}
