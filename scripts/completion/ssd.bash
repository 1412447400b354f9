# bash: completes the command lines of ssd.  The program itself knows the completions:
# ssd help --complete -- WORD...
_ssd()
{
	local line=${COMP_LINE:0:COMP_POINT} word words kept candidate
	read -ra words <<<"$line"
	[[ $line == *[[:space:]] ]] && words+=('')
	word=${words[-1]}
	# bash ends words at "=" and ":", and replaces only what follows the last of them.
	kept=${word%"${word##*[=:]}"}
	COMPREPLY=()
	while IFS= read -r candidate; do
		COMPREPLY+=("${candidate#"$kept"}")
		[[ $candidate == *= ]] && compopt -o nospace
	done < <("${words[0]}" help --complete -- "${words[@]:1}" 2>/dev/null)
}
complete -o default -o plusdirs -F _ssd ssd
