package io.retso.hbase.admin;

import io.retso.client.OracleClient;
import io.retso.client.OracleClientBuilder;
import io.retso.client.OracleException;
import io.retso.hbase.errors.OracleUnavailableException;
import io.retso.hbase.futures.Futures;
import io.retso.protocol.OracleIdentity;
import io.retso.text.Text;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** Which oracle is at some addresses. Stateless. */
final class OracleAddresses {
  private OracleAddresses() {}

  /**
   * Asks at each address which oracle is there. Addresses without an answer do not count, if there
   * is an answer at another one.
   *
   * @param begin begins a client; its time limit is what this takes if no answer comes from one
   * @throws OracleUnavailableException if no oracle answers, or there are two
   */
  static OracleIdentity identity(List<String> addresses, Supplier<OracleClientBuilder> begin)
      throws IOException {
    Map<String, CompletableFuture<OracleIdentity>> answers = new LinkedHashMap<>();
    List<OracleClient> clients = new ArrayList<>();
    try {
      for (String address : addresses) {
        OracleClient client = begin.get().address(address).build();
        clients.add(client);
        answers.put(address, client.identityAsync());
      }
      return theOne(answers);
    } finally {
      clients.forEach(OracleClient::close);
    }
  }

  private static OracleIdentity theOne(Map<String, CompletableFuture<OracleIdentity>> answers)
      throws IOException {
    OracleIdentity found = null;
    String foundAt = null;
    OracleException silence = null;
    for (Map.Entry<String, CompletableFuture<OracleIdentity>> answer : answers.entrySet()) {
      OracleIdentity oracle;
      try {
        oracle = Futures.await(answer.getValue());
      } catch (OracleException e) {
        silence = e;
        continue;
      }
      if (found != null && !found.isSameAs(oracle)) {
        throw new OracleUnavailableException(
            Text.of(
                "these are two oracles: %s at %s, %s at %s; name addresses of one",
                found, foundAt, oracle, answer.getKey()),
            null);
      }
      found = oracle;
      foundAt = answer.getKey();
    }
    if (found == null) {
      throw unavailable(answers.keySet(), silence);
    }
    return found;
  }

  /** No oracle can be used at the addresses. */
  static OracleUnavailableException unavailable(Iterable<String> addresses, OracleException cause) {
    return new OracleUnavailableException(
        Text.of(
            "the oracle at %s cannot be used: %s; check the address",
            String.join(",", addresses), cause.getMessage()),
        cause);
  }
}
