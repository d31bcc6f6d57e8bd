/** Choices that applications make. Values only; every other package may know them. */
package io.retso.hbase.options;
