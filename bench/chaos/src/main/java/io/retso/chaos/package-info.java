/** {@code retso chaos}: a cluster of oracles under faults, and whether it keeps its promises. */
package io.retso.chaos;
