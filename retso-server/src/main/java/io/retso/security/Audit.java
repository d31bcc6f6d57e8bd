package io.retso.security;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/** Hears what happens about security. Any thread; never waits for anything, and never fails. */
public interface Audit {
  /** Forgets it. */
  Audit NONE = event -> {};

  /** Something happened. */
  void record(Event event);

  /** What happened. */
  enum Kind {
    /** A client has proved its identity. */
    AUTHENTICATED,
    /** A connection or a request over HTTP was refused. */
    REFUSED,
    /** A known client asked for what none of its roles may. */
    DENIED,
    /** Requests came with wrong tickets: others began these transactions. */
    NOT_OWNER,
    /** A sweep was reported, so that the oracle forgets commits. */
    SWEPT,
    /** A region server got a token for a user of HBase. */
    VOUCHED,
    /** An operator had an action done. */
    ACTED,
    /** Access file, certificates or secret are others by now. */
    RELOADED,
    /** One of these cannot be used. */
    UNUSABLE,
    /** The server started, and says what it asks of its clients. */
    STARTED
  }

  /** One event, with what is known of it. Not thread-safe until it is recorded. */
  final class Event {
    private final Kind kind;
    private final Map<String, Object> fields = new LinkedHashMap<>();

    private Event(Kind kind) {
      this.kind = kind;
    }

    public static Event of(Kind kind) {
      return new Event(kind);
    }

    /** What a connection tells of its client. */
    public Event of(Peer peer) {
      peer.host().ifPresent(host -> with("address", host.getHostAddress()));
      peer.certificate()
          .ifPresent(
              shown ->
                  with("certificate", shown.getSerialNumber().toString(16))
                      .with("subject", shown.getSubjectX500Principal().getName()));
      return this;
    }

    /** A client, as far as it is known. */
    public Event of(Identity identity) {
      if (identity != null && identity.isKnown()) {
        with("principal", identity.principal());
        with("proof", identity.proof().name().toLowerCase(Locale.ROOT));
        with("token", identity.evidence().tokenId());
      }
      return this;
    }

    /** One thing more that is known; nothing if it is null or empty. */
    public Event with(String name, Object value) {
      if (value != null && !value.toString().isEmpty()) {
        fields.put(name, value);
      }
      return this;
    }

    public Kind kind() {
      return kind;
    }

    /** By their names, in the order in which they are to be read. */
    public Map<String, Object> fields() {
      return fields;
    }
  }
}
