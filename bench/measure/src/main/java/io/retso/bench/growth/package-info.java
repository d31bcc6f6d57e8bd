/** How the cost of a transaction grows with what the server has to hold beside it. */
package io.retso.bench.growth;
