package io.retso.chaos.clients;

import io.retso.chaos.load.Load;
import io.retso.verify.clients.RunIsolation;
import java.util.List;

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
 */
public record ClientsPlan(
    List<String> oracles,
    Load.Plan load,
    Work work,
    long seed,
    long origin,
    String directory,
    int heapMebibytes) {
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
