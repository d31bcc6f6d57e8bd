package io.retso.workload.tpcc;

/**
 * What is in all tables together.
 *
 * @param lines of orders
 * @param pieces sold, as the stocks say
 * @param payments rows of the history
 * @param paid money, in cents, as the history says
 * @param newOrders those that are not delivered
 * @param lastPayment highest number of one
 */
record Totals(
    long orders,
    long lines,
    long pieces,
    long payments,
    long paid,
    long newOrders,
    long lastPayment) {}
