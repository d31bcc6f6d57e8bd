/** What stays bounded however long a table is updated: {@code retso bench bounds}. */
package io.retso.bench.bounds;
