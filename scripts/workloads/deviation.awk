# "name value" lines of one profile, then published.tsv: one line for each of its rows, with tabs:
# profile, statistic, published, generated, deviation / tolerance, deviation as text, source, ok or OFF.

FILENAME != ARGV[2] {
	value[$1] = $2
	next
}

/^#/ { next }

{
	n = split($0, column, "\t")
	if (n < 5 || column[1] != PROFILE)
		next
	published = column[3]
	relative = column[4] ~ /%$/
	tolerance = relative ? column[4] / 100 * published : column[4] + 0
	generated = value[column[2]] + 0
	deviation = generated - published
	if (relative)
		text = sprintf("%+.2f %%", 100 * deviation / published)
	else
		text = sprintf("%+.4g", deviation)
	part = tolerance ? deviation / tolerance : (deviation ? 99 : 0)
	printf "%s\t%s\t%s\t%s\t%.3f\t%s\t%s\t%s\n", PROFILE, column[2], published, \
		(generated >= 100000 ? sprintf("%.0f", generated) : sprintf("%.5g", generated)), part, text, column[5], \
		(part <= 1 && part >= -1 ? "ok" : "OFF")
}
