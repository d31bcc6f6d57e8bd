package io.retso.verify.check;

import java.util.List;

/**
 * Something that the model forbids.
 *
 * @param kind its name
 * @param explanation one or more lines for people, with transactions, keys and values
 * @param transactions ids of the transactions in it
 */
public record Anomaly(AnomalyKind kind, String explanation, List<Integer> transactions) {}
