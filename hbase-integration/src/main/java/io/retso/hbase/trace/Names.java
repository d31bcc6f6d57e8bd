package io.retso.hbase.trace;

import io.opentelemetry.api.common.AttributeKey;

/** What spans, events and attributes are called; docs/traces.md. Constants. */
final class Names {
  static final String RUN = "retso.run";
  static final String TRANSACTION = "retso.transaction";
  static final String BEGIN = "retso.begin";
  static final String COMMIT = "retso.commit";
  static final String CLEANUP = "retso.cleanup";
  static final String SWEEP = "retso.sweep";

  static final String CONFLICT_EVENT = "retso.conflict";
  static final String RETRY_EVENT = "retso.retry";

  static final AttributeKey<String> NAME = AttributeKey.stringKey("retso.name");
  static final AttributeKey<String> ISOLATION = AttributeKey.stringKey("retso.isolation");
  static final AttributeKey<Boolean> READ_ONLY = AttributeKey.booleanKey("retso.read_only");
  static final AttributeKey<String> OUTCOME = AttributeKey.stringKey("retso.outcome");
  static final AttributeKey<Long> ATTEMPTS = AttributeKey.longKey("retso.attempts");
  static final AttributeKey<Long> ATTEMPT = AttributeKey.longKey("retso.attempt");
  static final AttributeKey<Long> ROWS = AttributeKey.longKey("retso.rows");
  static final AttributeKey<Long> START_TIMESTAMP = AttributeKey.longKey("retso.start_timestamp");
  static final AttributeKey<Long> COMMIT_TIMESTAMP = AttributeKey.longKey("retso.commit_timestamp");
  static final AttributeKey<Long> DECIDED = AttributeKey.longKey("retso.oracle.decided_us");
  static final AttributeKey<Long> LOGGED = AttributeKey.longKey("retso.oracle.logged_us");
  static final AttributeKey<Long> ANSWERED = AttributeKey.longKey("retso.oracle.answered_us");
  static final AttributeKey<Long> PAUSE = AttributeKey.longKey("retso.pause_ms");

  static final AttributeKey<String> TABLE = AttributeKey.stringKey("retso.conflict.table");
  static final AttributeKey<String> USE = AttributeKey.stringKey("retso.conflict.use");
  static final AttributeKey<String> ROW = AttributeKey.stringKey("retso.conflict.row");
  static final AttributeKey<String> STOP_ROW = AttributeKey.stringKey("retso.conflict.stop_row");
  static final AttributeKey<String> COLUMN = AttributeKey.stringKey("retso.conflict.column");

  /** These three are those of OpenTelemetry's conventions. */
  static final AttributeKey<String> ADDRESS = AttributeKey.stringKey("server.address");

  static final AttributeKey<Long> PORT = AttributeKey.longKey("server.port");
  static final AttributeKey<String> ERROR = AttributeKey.stringKey("error.type");

  private Names() {}
}
