package io.retso.workload;

/** Names a row. */
public record Row(String table, String key) {}
