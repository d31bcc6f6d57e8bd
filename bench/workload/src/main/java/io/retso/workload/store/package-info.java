/** The stores on which workloads run. */
package io.retso.workload.store;
