/** Apache Omid on the HBase that benchmarks start: its server, and a store of workloads. */
package io.retso.bench.omid;
