package io.retso.client.sockets;

import io.retso.client.connection.ClientLoop;
import io.retso.text.Durations;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;

/**
 * Looks up names of hosts, each on a thread of its own, so that a name server that is silent delays
 * only those that ask for that name. There is at most one thread for each name.
 *
 * <p>A name may have several addresses, those of all members for instance: one is used until it
 * fails, then the next one.
 *
 * <p>Event loop only.
 */
final class Lookups {
  /** Names of which the address in use is remembered; others begin with the first one. */
  private static final int CHOICES_MAX = 64;

  /** What knows names: the system, unless a test has its own. */
  interface Names {
    InetAddress[] of(String host) throws UnknownHostException;
  }

  /** Gets an address, or the reason why there is none. */
  interface Asker extends BiConsumer<InetAddress, Exception> {}

  private record Choice(InetAddress address, boolean failed) {}

  private final Names names;
  private final ClientLoop loop;
  private final long timeoutNanos;
  private final ExecutorService threads;
  private final Map<String, List<Asker>> underWay = new HashMap<>();
  private final Map<String, Choice> choices =
      new LinkedHashMap<>() {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Choice> eldest) {
          return size() > CHOICES_MAX;
        }
      };

  /** For a loop; what takes longer than {@code timeoutNanos} counts as not found. */
  Lookups(Names names, ClientLoop loop, long timeoutNanos, String threadName) {
    this.names = names;
    this.loop = loop;
    this.timeoutNanos = timeoutNanos;
    this.threads =
        new ThreadPoolExecutor(
            0,
            Integer.MAX_VALUE,
            1,
            TimeUnit.SECONDS,
            new SynchronousQueue<>(),
            lookup -> daemon(lookup, threadName));
  }

  private static Thread daemon(Runnable work, String name) {
    Thread thread = new Thread(work, name);
    thread.setDaemon(true);
    return thread;
  }

  /** Finds the address of a host to be tried next; the answer comes as a task of the loop. */
  void find(String host, Asker asker) {
    boolean isFirst = !underWay.containsKey(host);
    List<Asker> askers = underWay.computeIfAbsent(host, name -> new ArrayList<>());
    askers.add(asker);
    loop.schedule(() -> giveUp(askers, asker), timeoutNanos);
    if (isFirst) {
      threads.execute(() -> lookUp(host));
    }
  }

  private void giveUp(List<Asker> askers, Asker asker) {
    if (askers.remove(asker)) {
      asker.accept(
          null,
          new UnknownHostException(
              "no name server answered within " + Durations.text(timeoutNanos)));
    }
  }

  private void lookUp(String host) {
    InetAddress[] found = {};
    Exception failure = null;
    try {
      found = names.of(host);
    } catch (UnknownHostException | SecurityException e) {
      failure = e;
    }
    InetAddress[] addresses = found;
    Exception why = failure;
    try {
      loop.execute(() -> answer(host, addresses, why));
    } catch (RejectedExecutionException e) {
      // The client is closed.
    }
  }

  private void answer(String host, InetAddress[] found, Exception failure) {
    InetAddress address = found.length == 0 ? null : choose(host, found);
    List<Asker> askers = underWay.remove(host);
    List<Asker> waiting = List.copyOf(askers);
    askers.clear();
    waiting.forEach(asker -> asker.accept(address, failure));
  }

  private InetAddress choose(String host, InetAddress[] found) {
    Choice before = choices.get(host);
    int at = 0;
    if (before != null) {
      int place = Arrays.asList(found).indexOf(before.address);
      at = before.failed ? (place + 1) % found.length : Math.max(place, 0);
    }
    choices.put(host, new Choice(found[at], false));
    return found[at];
  }

  /** No oracle greets at an address that was found for a host. */
  void failed(String host, InetAddress address) {
    choices.computeIfPresent(
        host,
        (name, choice) -> choice.address.equals(address) ? new Choice(address, true) : choice);
  }

  /** It is not asked any more. */
  void close() {
    threads.shutdown();
  }
}
