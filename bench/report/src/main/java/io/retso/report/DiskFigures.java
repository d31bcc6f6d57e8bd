package io.retso.report;

/**
 * How long the disk takes to make bytes durable: a write and fdatasync, milliseconds.
 *
 * @param bytes of each write
 * @param count of writes
 */
public record DiskFigures(int bytes, int count, double p50, double p99) {}
